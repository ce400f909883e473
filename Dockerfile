# Airlock in a container: docs/deploy.md says how to run it.
#
#	docker build -t airlock --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
#
# There is no VOLUME on purpose: Railway refuses it, and elsewhere it would hide that nobody mounted one. Airlock warns instead.
ARG GO_IMAGE=golang:1.26-trixie
ARG BASE_IMAGE=debian:trixie-slim

FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY store/gosqlite/go.mod store/gosqlite/
RUN go mod download
COPY . .
ARG COMMIT=
RUN make build COMMIT="$COMMIT"

# What scripts find: Python 3.13 and the usual libraries for data. bubblewrap before 0.12 has CVE-2026-87766, so an older one fails the build.
FROM ${BASE_IMAGE} AS runtime
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      bubblewrap ca-certificates python3 python3-httpx python3-matplotlib python3-numpy python3-openpyxl python3-oracledb python3-pandas \
      python3-psycopg python3-psycopg2 python3-requests \
 && dpkg --compare-versions "$(dpkg-query -W -f='${Version}' bubblewrap)" ge 0.12 \
 && find /usr/lib/python3/dist-packages -type d -name tests -prune -exec rm -rf {} + \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*

FROM runtime
# Open, so that a container may start as any user: the server closes it where it is its own, and there is nobody else in here but boxes, which are shut out of it.
RUN install -d -o 10001 -m 0777 /data
COPY --from=build /src/airlock /usr/local/bin/airlock
# The mark of a container, as systemd and podman have it.
ENV AIRLOCK_DATA_DIR=/data container=oci
EXPOSE 9090
HEALTHCHECK --interval=30s --timeout=6s --start-period=60s CMD ["airlock", "health"]
ENTRYPOINT ["airlock", "container"]
CMD ["serve"]
