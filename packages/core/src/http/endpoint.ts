/** What a path of the gateway stands for. */
export type Endpoint =
  | { readonly name: 'chat' }
  | { readonly name: 'models' }
  | { readonly name: 'model'; readonly id: string }
  | { readonly name: 'unknown' }

/** The path of a URL, as it is written there. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

/**
 * The part of a path below the gateway's base, beginning with `/`, or `undefined` where the path is not the
 * gateway's. The base may stand below the mount (`/api/ai` + `/v1/...`) or end it (`/api/v1` + `/...`).
 */
export function belowBase(path: string, mount: string, base: string): string | undefined {
  if (mount !== '' && !isBelow(path, mount)) return undefined
  const relative = path.slice(mount.length)
  if (isBelow(relative, base)) return relative.slice(base.length)
  return mount === base || mount.endsWith(base) ? relative : undefined
}

/** Which endpoint a path below the base is. Model ids may hold slashes, as they are or as `%2F`. */
export function endpointOf(below: string): Endpoint {
  const path = below.replace(/^\/{2,}/, '/')
  if (path === '/chat/completions' || path === '/chat/completions/') return { name: 'chat' }
  if (path === '/models' || path === '/models/') return { name: 'models' }
  if (!path.startsWith('/models/')) return { name: 'unknown' }
  try {
    return { name: 'model', id: decodeURIComponent(path.slice('/models/'.length)) }
  } catch {
    return { name: 'unknown' }
  }
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}
