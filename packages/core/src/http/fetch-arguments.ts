import type { FetchContext } from '../contracts/host.ts'

/** Also a `Request` of another realm or library. */
export function isRequest(input: Request | string | URL): input is Request {
  return typeof input === 'object' && input !== null && 'method' in input && 'headers' in input
}

/** Whether a second argument is what `fetch` takes, and no context. */
export function isRequestInit(init: object | undefined): boolean {
  return (
    typeof init === 'object' && init !== null && ('signal' in init || 'method' in init || 'headers' in init)
  )
}

/** Some hosts hand over a second argument of their own: what is no context is ignored. */
export function contextOf<Host>(init: FetchContext<Host> | RequestInit | undefined): FetchContext<Host> {
  if (typeof init !== 'object' || init === null) return {}
  const given = init as FetchContext<Host>
  const mount = Object.hasOwn(given, 'mount') ? given.mount : undefined
  const body = Object.hasOwn(given, 'body') ? given.body : undefined
  const onPrincipal = Object.hasOwn(given, 'onPrincipal') ? given.onPrincipal : undefined
  return {
    host: Object.hasOwn(given, 'host') ? given.host : undefined,
    mount: typeof mount === 'string' ? mount : undefined,
    body: typeof body === 'object' && body !== null && 'kind' in body ? body : undefined,
    onPrincipal: typeof onPrincipal === 'function' ? onPrincipal : undefined,
    plainResponses: Object.hasOwn(given, 'plainResponses') && given.plainResponses === true,
  }
}

/** Fits a log line, a span attribute and a header as it is. */
const acceptedId = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** Returns the name of the header that holds the caller's own id; `undefined` where none is read. */
export function clientRequestIdHeader(option: boolean | string | undefined): string | undefined {
  if (option === true) return 'x-request-id'
  return option === false ? undefined : option?.toLowerCase()
}

/** Returns the id that a caller gave its request; `undefined` where there is none, or one of another form. */
export function clientRequestIdOf(request: Request, header: string): string | undefined {
  const id = request.headers.get(header)
  return id !== null && acceptedId.test(id) ? id : undefined
}
