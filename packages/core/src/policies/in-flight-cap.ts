import type { LoadShedder } from '../stages/shed.ts'

/**
 * Refuses a request where so many are being answered already. Throws `TypeError` for what is no whole number from 1.
 */
export function inFlightCap(most: number): LoadShedder {
  if (!(Number.isSafeInteger(most) && most >= 1)) {
    const got = typeof most === 'string' ? `'${most}'` : String(most)
    throw new TypeError(`inFlightCap: got ${got}, expected a whole number from 1.`)
  }
  return ({ inFlight }) => (inFlight < most ? undefined : `${inFlight} requests in flight, ${most} may be`)
}
