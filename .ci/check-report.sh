#!/usr/bin/env bash
# Opens a report in headless Chromium, as a phone and as a desktop, and fails unless it renders: figures present
# and of visible size, tables sortable, nothing wider than the screen, nothing on the console, nothing asked of the network.
#
#   bash .ci/check-report.sh REPORT.html [FOLDER]
#
# The screenshots phone.png, desktop.png and dark.png go to FOLDER, by default a temporary one.
set -euo pipefail

page=$(realpath -e -- "${1:?usage: check-report.sh REPORT.html [FOLDER]}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shots=${2:-$(mktemp -d)}
mkdir -p "$shots"

fail() { printf 'check-report: %s\n' "$*" >&2; exit 1; }

if ! command -v chromium >/dev/null; then
  apt-get install -y --no-install-recommends chromium >"$scratch/apt" 2>&1 ||
    { apt-get update >/dev/null && apt-get install -y --no-install-recommends chromium >"$scratch/apt" 2>&1; } ||
    { tail -5 "$scratch/apt" >&2; fail 'chromium is missing and cannot be installed'; }
fi

browse() { # NAME FLAGS.. URL: output to $scratch/NAME.out, log to $scratch/NAME.err, requests to $scratch/NAME.net
  local name=$1; shift
  timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$(mktemp -d -p "$scratch")" --hide-scrollbars --allow-file-access-from-files \
    --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --log-net-log="$scratch/$name.net" ${dark:-} "$@" \
    >"$scratch/$name.out" 2>"$scratch/$name.err" || { tail -20 "$scratch/$name.err" >&2; fail "$name: chromium failed"; }
  if grep -n ':CONSOLE' "$scratch/$name.err" >&2; then fail "$name: messages on the console"; fi
  [ -s "$scratch/$name.net" ] || fail "$name: no record of requests"
  # The browser has errands of its own, which no rule lets out; those of a page have an initiator.
  if grep '"initiator":' "$scratch/$name.net" | grep -v '"initiator":"not an origin"' |
    grep -oiE '"url":"(https?|wss?|ftp):[^"]*"' >&2; then fail "$name: a request to the network"; fi
}

# 1. The file by itself: nothing in it that a browser would fetch. A namespace or a link is not fetched.
if grep -noiE '(src|srcset|poster|data|action)="?(https?:)?//[^" >]*|url\( *["'\'']?(https?:)?//[^)]*|@import[^;]*|<link[^>]*href="https?:[^>]*' "$page" >&2; then
  fail 'a reference to the network'
fi
figures=$(grep -c '<figure ' "$page") || fail 'no figure in the file'

# 2. The document that the browser makes of it.
browse dom --dump-dom "file://$page"
grep -q '<h1>' "$scratch/dom.out" || fail 'no title in the document'
[ "$(grep -c '^<svg ' "$scratch/dom.out")" -ge "$figures" ] || fail 'a figure is missing from the document'

# 3. What it looks like on two screens. A window cannot be as narrow as a phone, a frame can.
measure() { # NAME WIDTH HEIGHT
  cat >"$scratch/$1.html" <<HTML
<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><style>body{margin:0}iframe{border:0;display:block}</style>
<iframe id="page" src="file://$page" width="$2" height="$3"></iframe><pre id="result"></pre>
<script>
document.getElementById("page").onload = event => {
  const inner = event.target.contentDocument, root = inner.documentElement;
  const figures = [...inner.querySelectorAll("figure > svg")].map(svg => svg.getBoundingClientRect());
  const visible = figures.filter(box => box.width >= 200 && box.height >= 100 && box.right <= $2).length;
  const labels = inner.querySelectorAll("figure svg text").length;
  // The page's own script made the buttons; its policy would have stopped any other.
  const head = inner.querySelector("table.sortable thead button"), saves = inner.querySelectorAll(".save button").length;
  if (head) head.click();
  const sorted = !head || inner.querySelector("th[aria-sort=ascending]") !== null;
  document.getElementById("result").textContent =
    "RESULT script=" + (sorted && saves === 2 * figures.length ? 1 : 0) + " visible=" + visible + " labels=" + labels + " wide=" + root.scrollWidth + " tall=" + root.scrollHeight + ".";
};
</script>
HTML
  browse "$1" --window-size="$2,$3" --dump-dom "file://$scratch/$1.html"
  local result visible labels wide
  result=$(grep -o 'RESULT script=.*tall=[0-9]*\.' "$scratch/$1.out") || fail "$1: the page did not load"
  visible=$(sed 's/.*visible=\([0-9]*\).*/\1/' <<<"$result")
  labels=$(sed 's/.*labels=\([0-9]*\).*/\1/' <<<"$result")
  wide=$(sed 's/.*wide=\([0-9]*\).*/\1/' <<<"$result")
  tall=$(sed 's/.*tall=\([0-9]*\).*/\1/' <<<"$result")
  grep -q 'script=1' <<<"$result" || fail "$1: tables cannot be sorted or figures not saved"
  [ "$visible" -eq "$figures" ] || fail "$1: $visible of $figures figures are visible"
  [ "$labels" -gt 0 ] || fail "$1: figures without labels"
  [ "$wide" -le "$2" ] || fail "$1: the page is $wide pixels wide on a screen of $2"
  printf '%s: %s figures, %s labels, %s x %s pixels\n' "$1" "$visible" "$labels" "$wide" "$tall"
}

shoot() { # NAME WIDTH HEIGHT SCALE: the whole page, in one picture
  local tall
  measure "$1" "$2" "$3"
  sed -i "s/height=\"$3\"/height=\"$tall\"/" "$scratch/$1.html"
  browse "$1" --force-device-scale-factor="$4" --window-size="$(($2 < 500 ? 500 : $2)),$tall" \
    --screenshot="$shots/$1.png" "file://$scratch/$1.html"
  [ "$(head -c 4 "$shots/$1.png" | tail -c 3)" = PNG ] || fail "$1: no screenshot"
}
shoot phone 390 844 2
shoot desktop 1280 900 1
dark=--blink-settings=preferredColorScheme=0 shoot dark 1280 900 1
printf 'screenshots in %s\n' "$shots"
