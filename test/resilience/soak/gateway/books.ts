import { type Authenticator, apiKeys, type Limiter, type Observer, type Principal } from '@sluice/core'
import { now } from '../process/clock.ts'
import type { Books, Ended } from '../process/messages.ts'
import { idHeader, key } from './names.ts'

/**
 * Holds the gateway to its word: one record for each request, one end of each lease. What has ended is forgotten, so
 * that the books do not grow.
 */
export class BookKeeper {
  readonly authenticate: Authenticator
  readonly limit: Limiter
  readonly observe: Observer
  readonly #open = new Set<string>()
  readonly #leases = new Set<string>()
  readonly #byOutcome: Record<string, number> = {}
  readonly #faults: string[] = []
  #opened = 0
  #admitted = 0
  #settled = 0

  constructor(ended: (record: Ended) => void, admitted: (id: string, model: string) => void) {
    const keys = apiKeys([{ id: 'soak', key }])
    this.authenticate = async (request, host) => {
      const principal = await keys(request, host)
      if (principal === undefined) return undefined
      const id = request.headers.get(idHeader) ?? ''
      this.#opened++
      this.#enter(this.#open, id, 'request')
      return { ...principal, tags: { id } }
    }
    this.limit = {
      admit: (principal, draft) => {
        const id = idOf(principal)
        this.#admitted++
        this.#enter(this.#leases, id, 'lease')
        admitted(id, draft.model)
        return {
          headers: {},
          settle: () => {
            this.#settled++
            this.#leave(this.#leases, id, 'lease')
          },
        }
      },
    }
    this.observe = event => {
      if (event.type !== 'end') return
      const { outcome, status, principal } = event
      this.#byOutcome[outcome] = (this.#byOutcome[outcome] ?? 0) + 1
      if (principal === undefined) return
      const id = idOf(principal)
      this.#leave(this.#open, id, 'request')
      if (this.#leases.has(id)) this.#fault(`the record of ${id} came before its lease was settled`)
      if (event.attempts.length > 3) this.#fault(`${id} made ${event.attempts.length} attempts`)
      ended({ id, outcome, status, at: now() })
    }
  }

  read(): Books {
    const leases = { admitted: this.#admitted, settled: this.#settled, open: this.#leases.size }
    return {
      opened: this.#opened,
      byOutcome: { ...this.#byOutcome },
      open: this.#open.size,
      leases,
      faults: [...this.#faults],
    }
  }

  #enter(open: Set<string>, id: string, what: string): void {
    if (open.has(id)) this.#fault(`a second ${what} of ${id}`)
    open.add(id)
  }

  #leave(open: Set<string>, id: string, what: string): void {
    if (!open.delete(id)) this.#fault(`a second end of the ${what} of ${id}`)
  }

  #fault(fault: string): void {
    if (this.#faults.length < 100) this.#faults.push(fault)
  }
}

function idOf(principal: Principal): string {
  return principal.tags?.id ?? ''
}
