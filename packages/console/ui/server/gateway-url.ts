import type { About } from '../../src/api.ts'

/** The base URL of the gateway for clients, such as `https://ai.example.com/v1`: the page is at `console/` of its mount. */
export function gatewayUrl({ base }: Pick<About, 'base'>): string {
  return new URL(`..${base}`, document.baseURI).href.replace(/\/$/, '')
}

/** The URL of an endpoint, by its path with the base path of the gateway: `/v1/messages`. */
export function endpointUrl(about: Pick<About, 'base'>, path: string): string {
  const url = gatewayUrl(about)
  const { pathname } = new URL(url)
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) {
    if (pathname.endsWith(path.slice(0, at))) return url + path.slice(at)
  }
  return url + path
}
