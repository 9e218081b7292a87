/** Control and format characters, which could hide or reorder a text. */
const NOT_VISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Replaces characters that are not visible by escapes, in texts that come from clusters. */
export function visible(text: string): string {
  return text.replace(
    NOT_VISIBLE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the name that is shown. That of the local cluster is empty. */
export function clusterName(name: string): string {
  return name === '' ? '(local)' : visible(name);
}

/** Returns a duration as kubectl prints it, for example `5m30s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return `${minutes}m${seconds % 60}s`;
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  return days < 8 ? `${days}d${hours % 24}h` : `${days}d`;
}

const COUNT = new Intl.NumberFormat('en-US');

export function count(value: number): string {
  return COUNT.format(value);
}

/** Returns a rate per second with three digits. */
export function rate(perSecond: number): string {
  if (perSecond === 0) return '0/s';
  if (perSecond >= 100) return `${count(Math.round(perSecond))}/s`;
  return `${Number(perSecond.toPrecision(perSecond < 0.1 ? 1 : 2))}/s`;
}

/** Returns a short time, for example `12 ms`. */
export function seconds(value: number): string {
  if (value < 0.000_95) return `${Math.round(value * 1e6)} µs`;
  if (value < 0.995) return `${Number((value * 1e3).toPrecision(2))} ms`;
  return value < 120 ? `${Number(value.toPrecision(2))} s` : duration(value * 1000);
}

/** Returns a size with the units of Kubernetes. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const unit = Math.min(Math.floor(Math.log2(Math.max(value, 1)) / 10), units.length - 1);
  return `${Number((value / 1024 ** unit).toPrecision(3))} ${units[unit] ?? ''}`;
}

export function labelTexts(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels).map(([key, value]) => visible(value === '' ? key : `${key}=${value}`));
}

/** Returns a local time with seconds, and the date if it is another day. */
export function timeText(at: number, now: number): string {
  const [time, today] = [new Date(at), new Date(now)];
  const clock = time.toLocaleTimeString('en-GB');
  return time.toDateString() === today.toDateString() ? clock : `${time.toLocaleDateString('sv-SE')} ${clock}`;
}
