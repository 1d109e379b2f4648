import { GatewayError } from '@sluice/core'
import type { Page } from './page.ts'
import { secureHeaders } from './secure-headers.ts'

/**
 * Answers for a file of the page, by its path below `/console/`. They hold no data, and need no key. Throws 404 for what
 * is no file, and 405 for any method but GET and HEAD.
 */
export function pageFile(page: Page, path: string, method: string): Response {
  const name = path === '' ? 'index.html' : path
  const file = Object.hasOwn(page, name) ? page[name] : undefined
  if (file === undefined) throw new GatewayError('unknown_url', { message: 'The console has no such file.' })
  if (method !== 'GET' && method !== 'HEAD') {
    throw new GatewayError('method_not_supported', { headers: { allow: 'GET, HEAD' } })
  }
  return new Response(method === 'HEAD' ? null : file.body, {
    headers: { ...secureHeaders, 'content-type': file.type, 'cache-control': lifeOf(name) },
  })
}

/** What has a digest in its name never changes. */
function lifeOf(name: string): string {
  if (name.startsWith('assets/')) return 'public, max-age=31536000, immutable'
  return name.endsWith('.html') ? 'no-store' : 'no-cache'
}
