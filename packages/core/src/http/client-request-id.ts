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
