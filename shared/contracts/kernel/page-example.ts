/** The first and only page of a list at `address`. */
export const onlyPage = <Item>(address: string, data: Item[]) => {
  const url = `http://localhost:3000/api/v1${address}page=1`;
  return {
    data,
    links: { first: url, last: url, prev: null, next: null },
    meta: { current_page: 1, last_page: 1, per_page: 15, total: data.length },
  };
};
