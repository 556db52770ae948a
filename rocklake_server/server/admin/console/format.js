// Numbers, sizes and times as people read them. Pure functions.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function count(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString("en");
}

export function bytes(value) {
  if (value === null || value === undefined) return "–";
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

// Seconds, to two units at most: "3 d 4 h", "12 min", "250 ms".
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 86400) return two(Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min");
  return two(Math.floor(whole / 86400), "d", Math.floor((whole % 86400) / 3600), "h");
}

function two(first, firstUnit, second, secondUnit) {
  return second ? `${first} ${firstUnit} ${second} ${secondUnit}` : `${first} ${firstUnit}`;
}

// How long before `now` an ISO time was.
export function ago(iso, now) {
  const seconds = (new Date(now) - new Date(iso)) / 1000;
  return seconds < 1 ? "now" : `${duration(seconds)} ago`;
}

export function clock(iso) {
  return new Date(iso).toLocaleTimeString("en-GB");
}

export function moment(iso) {
  const date = new Date(iso);
  const day = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
  return `${day} ${clock(iso)}`;
}

export function share(part, whole) {
  return whole ? `${Math.round((100 * part) / whole)} %` : "–";
}

export function plural(number, one, several = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : several}`;
}
