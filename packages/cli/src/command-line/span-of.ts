const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** A span of time as it is typed, in milliseconds: `90s`, `5m`, `1h`, `30d`, `2w`; `undefined` for what is none. */
export function spanOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  const ms = Number(count) * (units[unit] ?? Number.NaN)
  return Number.isSafeInteger(ms) ? ms : undefined
}
