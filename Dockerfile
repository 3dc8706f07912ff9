# syntax=docker/dockerfile:1
# Docker image of the archive. Without DATABASE_URL, it runs its embedded database:
#
#   docker build -t campus-alumni-archive .
#   docker run -d --restart unless-stopped --name archive --init --read-only --tmpfs /tmp --env-file .env \
#     -e TRUST_PROXY=172.17.0.0/16 -v archive:/data -p 127.0.0.1:3000:3000 campus-alumni-archive
#
# TRUST_PROXY is Docker's network, because requests of a proxy on this machine come from there.
# compose.yaml also runs PostgreSQL and a proxy with TLS.

# ── Stage 1: build the pages with all dependencies.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY contract contract
COPY docs/staff.md docs/
COPY scripts scripts
COPY server server
COPY web web
COPY vite.config.ts tsconfig.json ./
RUN node scripts/run.mjs build

# ── Stage 2: dependencies of the server. Packages that only build pages are removed, and so is the project's own Node, which is
# for machines with an old Node. This reduces the size from 441 to 187 MB.
FROM node:24-slim AS libraries
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund \
  && npm uninstall --no-save --omit=dev --no-audit --no-fund \
    @hookform/resolvers @simplewebauthn/browser @tailwindcss/vite @vitejs/plugin-react photoswipe react react-dom \
    react-easy-crop react-hook-form react-router react-toastify tailwindcss vite \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node

# ── Stage 3: the image.
FROM node:24-slim
# A fixed user ID, because the files in the volume belong to it.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin archive \
  && install -d -o archive -g archive -m 700 /data
WORKDIR /app
COPY --from=libraries /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE institution.json ./
COPY contract contract
COPY server server
COPY cli cli
COPY scripts/run.mjs scripts/archive.ts scripts/
# V8 compile cache: shortens a start by a third.
ENV NODE_COMPILE_CACHE=/app/compile-cache
RUN node -e "import('./server/main.ts')"
USER archive
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=2
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM starts a graceful shutdown: first requests, then jobs, then the database.
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=512", "server/main.ts"]
