/** The answer to what is neither GET nor HEAD; `undefined` for those. */
export function refusedMethod({ method }: Request): Response | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined
  return new Response('Only GET and HEAD are answered here.\n', {
    status: 405,
    headers: { allow: 'GET, HEAD', 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  })
}
