import { GatewayError } from '@sluice/core'

const maxMinutes = 90 * 24 * 60

/** The `minutes` of a URL; absent, one hour. Throws 400. */
export function queryMinutes(given: URLSearchParams): number {
  const text = given.get('minutes') ?? '60'
  const minutes = Number(text)
  if (/^\d{1,6}$/.test(text) && minutes >= 1 && minutes <= maxMinutes) return minutes
  throw new GatewayError('invalid_value', {
    message: `minutes must be a whole number from 1 to ${maxMinutes}, which are 90 days.`,
    param: 'minutes',
  })
}
