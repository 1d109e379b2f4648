/** A whole number for people: `1,204`. */
export function count(value: number | null | undefined): string {
  return value === undefined || value === null ? '–' : value.toLocaleString('en')
}

/** The same where there is little room: `1.2K`; nothing for what is between whole numbers. */
export function shortCount(value: number): string {
  if (!Number.isInteger(value)) return ''
  return value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 })
}
