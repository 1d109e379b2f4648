import { GatewayError } from '@sluice/core'

/**
 * Throws 403 for a request that a page of another origin sent. Browsers say so in `Sec-Fetch-Site`, or in `Origin`; what
 * is no browser says neither. A proxy that changes `Host` has to keep the former, as all do that are not told otherwise.
 */
export function expectOwnOrigin({ headers, url }: Request): void {
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return
  const origin = headers.get('origin')
  if (site === null && (origin === null || hostOf(origin) === (headers.get('host') ?? hostOf(url)))) return
  throw new GatewayError('missing_scope', {
    message: 'This was sent by a page of another origin: only the console itself may change something here.',
  })
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined
}
