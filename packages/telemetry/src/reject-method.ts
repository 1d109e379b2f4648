/** Returns a 405 for methods other than GET and HEAD; `undefined` for those. */
export function rejectMethod({ method }: Request): Response | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined
  return new Response('Method not allowed. Use GET or HEAD.\n', {
    status: 405,
    headers: { allow: 'GET, HEAD', 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  })
}
