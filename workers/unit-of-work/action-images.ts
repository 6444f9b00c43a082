/** Reads the images of actions. An import in steps has further ones, in the microseconds after its time. */
export const readActionImages = `
  select t.* from unnest($1::text[], $2::text[], $3::text[]) v(user_id, called_at, request_id)
  cross join lateral (
    select * from action_images t
    where t.user_id = v.user_id and t.request_id = v.request_id::uuid and t.called_at >= v.called_at::timestamptz
      and t.called_at < v.called_at::timestamptz + interval '1 millisecond'
    offset 0
  ) t`;
