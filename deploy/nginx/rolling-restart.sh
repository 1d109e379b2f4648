#!/bin/sh
# Restarts the processes of the gateway one after the other, without an open stream that is cut:
#   rolling-restart.sh 8787 8788
# For each port: nginx sends it no new requests, the process drains and starts again, nginx sends it requests again.
set -eu

UPSTREAM=${UPSTREAM:-/etc/nginx/conf.d/sluice-upstream.conf}
RELOAD=${RELOAD:-systemctl reload nginx}
RESTART=${RESTART:-systemctl restart}

if grep -q ' down;' "$UPSTREAM"; then
  echo "$UPSTREAM has a process that is down. Remove 'down' if it runs." >&2
  exit 1
fi

for port in "$@"; do
  grep -q "server 127\.0\.0\.1:$port " "$UPSTREAM" || { echo "$UPSTREAM has no port $port." >&2; exit 1; }
done

for port in "$@"; do
  sed "s/\(server 127\.0\.0\.1:$port .*\);/\1 down;/" "$UPSTREAM" > "$UPSTREAM.new"
  mv "$UPSTREAM.new" "$UPSTREAM"
  $RELOAD
  # Until nginx has reloaded, the process serves as before: shutdownDelayMs. Then it waits for its open streams.
  $RESTART "sluice@$port"
  curl --silent --show-error --fail --output /dev/null \
    --retry 60 --retry-delay 1 --retry-connrefused --max-time 120 "http://127.0.0.1:$port/readyz"
  sed "s/\(server 127\.0\.0\.1:$port .*\) down;/\1;/" "$UPSTREAM" > "$UPSTREAM.new"
  mv "$UPSTREAM.new" "$UPSTREAM"
  $RELOAD
  echo "Port $port is restarted."
done
