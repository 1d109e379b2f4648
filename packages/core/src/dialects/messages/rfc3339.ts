/** The last second that RFC 3339 can express, in seconds since 1970. */
const lastSecond = 253_402_300_799

/** Returns a time in RFC 3339, in whole seconds, given seconds since 1970: rounded up, and not before 1970 or after 9999. */
export function rfc3339(seconds: number): string {
  const known = Number.isNaN(seconds) ? 0 : Math.min(Math.max(Math.ceil(seconds), 0), lastSecond)
  return new Date(known * 1_000).toISOString().replace('.000Z', 'Z')
}
