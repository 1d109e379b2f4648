import type { Gateway } from '@sluice/core'

/** The members of Koa's `ctx` that tell where the middleware is mounted. */
export interface MountedContext {
  readonly originalUrl: string
  readonly path: string
  /** Set by `@koa/router`: the path of the route, such as `/api/ai/v1/{*path}`. */
  readonly _matchedRoute?: unknown
}

/** Where the gateway is mounted, and the whole path. */
export interface Mounted {
  readonly mount: string
  readonly path: string
}

/**
 * `koa-mount` takes its prefix off `ctx.path` and leaves it in `ctx.originalUrl`. `@koa/router` takes nothing
 * off: there the mount is what of its route stands in front of the gateway's own path.
 */
export function mountOf(ctx: MountedContext, gateway: Pick<Gateway<never>, 'matches'>): Mounted {
  const mount = prefixOf(ctx.originalUrl.split(/[?#]/, 1)[0]!, ctx.path)
  const path = mount + ctx.path
  if (typeof ctx._matchedRoute !== 'string' || gateway.matches(path, mount)) return { mount, path }
  let end = mount.length
  for (let depth = fixedSegments(ctx._matchedRoute); depth > 0; depth--) {
    end = path.indexOf('/', end + 1)
    if (end === -1) break
    if (gateway.matches(path, path.slice(0, end))) return { mount: path.slice(0, end), path }
  }
  return { mount, path }
}

function prefixOf(original: string, path: string): string {
  if (original === path) return ''
  if (original.endsWith(path)) return original.slice(0, -path.length).replace(/^https?:\/\/[^/]*/i, '')
  // At `koa-mount`'s own path, and only there, the rest is `/`; any other difference is a rewritten path.
  return path === '/' ? original : ''
}

/** How many segments a route has before its first wildcard. */
function fixedSegments(route: string): number {
  const segments = route.split('/').slice(1)
  const wildcard = segments.findIndex(segment => /[*({]/.test(segment))
  return wildcard === -1 ? segments.length : wildcard
}
