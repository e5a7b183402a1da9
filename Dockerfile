# Our tests check this file and run its commands outside a container (tests/acceptance/deployment.test.ts); they have no
# Docker to build it with.
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:20-slim
WORKDIR /app
COPY package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/src/infrastructure/sample-stations.json ./src/infrastructure/
RUN install --directory --owner=node --group=node --mode=700 /data
# The probes answer on every address of the container; publish port 9000 to those only who may see it.
ENV NODE_ENV=production DATA_DIR=/data MANAGEMENT_HOST=0.0.0.0
USER node
VOLUME /data
EXPOSE 3000 9000
# Alive, not ready: a restart brings no lost database back. Without a management port the API itself is asked.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "const { MANAGEMENT_PORT = '9000', PORT } = process.env; fetch('http://127.0.0.1:' + (MANAGEMENT_PORT ? MANAGEMENT_PORT + '/livez' : PORT || '3000')).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/infrastructure/radio-directory.cjs"]
CMD ["serve"]
