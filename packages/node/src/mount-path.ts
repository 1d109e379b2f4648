import { configurationError } from '@sluice/core/adapter'

/**
 * Returns the path of a mount as the gateway expects it: with a slash in front and none at the end, `''` for the root. Throws
 * `ConfigurationError`, a `TypeError`, for anything that is no fixed path, because it would never match a request.
 *
 * @param source - The function that received the path: `bodyParserErrors()`.
 */
export function mountPath(source: string, mount: unknown): string {
  // Neither a pattern of a router, nor a URL or what follows a path in one.
  if (typeof mount !== 'string' || /[\s\\?#*(){}[\]]|:/.test(mount)) {
    throw configurationError(source, ['mount'], mount, `a path without patterns, such as '/api/ai'`)
  }
  const path = mount.replace(/^\/+|\/+$/g, '')
  return path === '' ? '' : `/${path}`
}
