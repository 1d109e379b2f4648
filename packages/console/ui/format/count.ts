/** A whole number for people: `1,204`. */
export function count(value: number | null | undefined): string {
  return value === undefined || value === null ? '–' : value.toLocaleString('en')
}

/** The same where there is little room: `1.2K`. */
export function shortCount(value: number): string {
  return value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 })
}
