/** Why a vendor refuses a request, before it has its own shape of an error. */
export class Fault extends Error {
  readonly status: number
  /** The vendor's own word for the kind of the fault, where it has several for one status. */
  readonly kind: string | undefined

  constructor(message: string, status = 400, kind?: string) {
    super(message)
    this.name = 'Fault'
    this.status = status
    this.kind = kind
  }
}
