#!/bin/sh
# Starts Kept, or with a name runs that command of `npm run admin`: what `npx kept` runs. Its data is in ./data.
root=$(dirname "$(readlink -f "$0")")/../..
# Packages lie in the folder of Kept or beside it, as npm has put them.
for packages in "$root/node_modules" "$root/.."; do
  bun=$packages/.bin/bun
  [ -x "$bun" ] || continue
  [ $# -gt 0 ] && exec "$bun" "$root/api/cli/admin.ts" "$@"
  exec "$bun" "$root/shared/embedded/main.ts"
done
echo "Kept needs its packages: install it again with npm." >&2
exit 1
