#!/bin/sh
# End-to-end tests of the studio: the real server, a real browser, driven as a person would.
#
#   FLEXLINE     the flexline command; built when not given
#   CHROMIUM     the browser; found or, on Debian, installed when not given
#   PAGE         a built page (dist) to use instead of the one in the command
#   SCREENSHOTS  a folder for pictures; none are taken without it
set -eu
cd "$(dirname "$0")/.."

if [ -z "${CHROMIUM:-}" ]; then
    CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
fi
if [ -z "$CHROMIUM" ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "installing chromium"
    { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; } >/dev/null || true
    CHROMIUM=$(command -v chromium || true)
fi
if [ -z "$CHROMIUM" ]; then
    echo "The end-to-end tests need Chromium. Install it (Debian: apt-get install chromium), or name it: CHROMIUM=/path/to/chrome" >&2
    exit 2
fi
export CHROMIUM

if ! command -v npm >/dev/null; then
    echo "The page is built with Node 20 or newer and npm: install them (Debian: apt-get install nodejs npm)." >&2
    exit 2
fi
[ -d node_modules ] || npm ci --no-audit --no-fund
if [ -z "${FLEXLINE:-}" ]; then
    [ -f dist/index.html ] || npm run build
    # As built for the other tests; what is measured is built to be fast.
    if [ $# -eq 0 ]; then profile=dev folder=debug; else profile=release folder=release; fi
    cargo build --profile "$profile" --locked --bin flexline --manifest-path ../Cargo.toml
    FLEXLINE="$(cd .. && pwd)/target/$folder/flexline"
fi
export FLEXLINE

# One at a time: the browser draws in software, and wants the whole machine. An argument names another script.
[ $# -eq 0 ] || exec node "$@"
exec node --test --test-concurrency=1 --test-timeout=240000 tests/*.test.mjs
