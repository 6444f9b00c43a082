/** Makes a node like another one. Equal nodes stay, and with them focus, scroll position and typed text. */
export function change(old, wanted) {
  for (const { name } of [...old.attributes])
    if (!wanted.hasAttribute(name) && !/^(open|style)$/.test(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (name !== "open") old.setAttribute(name, value);
  const nodes = [...wanted.childNodes];
  const ids = new Set(nodes.map(({ id }) => id));
  const known = new Map([...old.children].map((child) => [child.id, child]));
  for (const [id, child] of known) if (id && !ids.has(id)) child.remove();
  let at = old.firstChild;
  for (const node of nodes) {
    const named = node.id && known.get(node.id);
    while (named && at && !at.id) at = drop(at);
    const same = named || (at && !at.id && at.nodeName === node.nodeName && at);
    if (same && same === at) at = at.nextSibling;
    else old.insertBefore(same || node, at);
    if (same && node.attributes) change(same, node);
    else if (same) same.data = node.data;
  }
  while (at) at = drop(at);
}

function drop(node) {
  const { nextSibling } = node;
  node.remove();
  return nextSibling;
}
