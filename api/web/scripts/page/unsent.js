// Changes that are not answered yet, in the browser's database: they outlive the tab.
let opened;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("kept", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("changes", { keyPath: "key" });
    request.onerror = reject;
    request.onsuccess = () => {
      // A sign-out deletes the database, for which every page must let go of it.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
  });
  return opened;
}

/** A browser that stores nothing sends its changes all the same, as long as the page is open. */
async function run(act) {
  try {
    const request = act((await open()).transaction("changes", "readwrite").objectStore("changes"));
    return await new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = reject;
    });
  } catch {
    return undefined;
  }
}

export const store = (change) => run((changes) => changes.put(change));
export const forget = ({ key }) => run((changes) => changes.delete(key));

/** The changes of the page's person, oldest first. */
export const storedOf = async (owner) =>
  ((await run((changes) => changes.getAll())) ?? []).filter((change) => change.owner === owner);
