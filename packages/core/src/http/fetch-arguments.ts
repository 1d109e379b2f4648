import type { FetchContext, TargetName } from '../contracts/host.ts'

/** Returns whether a value is a `Request`, including those of another realm or library. */
export function isRequest(input: Request | string | URL): input is Request {
  return typeof input === 'object' && input !== null && 'method' in input && 'headers' in input
}

/** Returns whether a second argument is a `RequestInit`, rather than a `FetchContext`. */
export function isRequestInit(init: object | undefined): boolean {
  return (
    typeof init === 'object' && init !== null && ('signal' in init || 'method' in init || 'headers' in init)
  )
}

/** Returns the fields of a `FetchContext`. Ignores invalid ones: some hosts pass a second argument of their own. */
export function contextOf<Host>(init: FetchContext<Host> | RequestInit | undefined): FetchContext<Host> {
  if (typeof init !== 'object' || init === null) return {}
  const given = init as FetchContext<Host>
  const mount = Object.hasOwn(given, 'mount') ? given.mount : undefined
  const body = Object.hasOwn(given, 'body') ? given.body : undefined
  const onPrincipal = Object.hasOwn(given, 'onPrincipal') ? given.onPrincipal : undefined
  const onlyTarget = Object.hasOwn(given, 'onlyTarget') ? given.onlyTarget : undefined
  return {
    host: Object.hasOwn(given, 'host') ? given.host : undefined,
    mount: typeof mount === 'string' ? mount : undefined,
    body: typeof body === 'object' && body !== null && 'kind' in body ? body : undefined,
    onPrincipal: typeof onPrincipal === 'function' ? onPrincipal : undefined,
    onlyTarget: isTargetName(onlyTarget) ? onlyTarget : undefined,
    plainResponses: Object.hasOwn(given, 'plainResponses') && given.plainResponses === true,
  }
}

function isTargetName(given: unknown): given is TargetName {
  if (typeof given !== 'object' || given === null) return false
  const { provider, model } = given as Partial<TargetName>
  return typeof provider === 'string' && typeof model === 'string'
}

/** Safe in log lines, span attributes and headers. */
const acceptedId = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** Returns the name of the header with the client's request id, or `undefined` if the option is off. */
export function clientRequestIdHeader(option: boolean | string | undefined): string | undefined {
  if (option === true) return 'x-request-id'
  return option === false ? undefined : option?.toLowerCase()
}

/** Returns the client's request id, or `undefined` if there is none, or it is invalid. */
export function clientRequestIdOf(request: Request, header: string): string | undefined {
  const id = request.headers.get(header)
  return id !== null && acceptedId.test(id) ? id : undefined
}
