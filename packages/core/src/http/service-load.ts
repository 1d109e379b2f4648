import type { Clock } from '../clock/clock.ts'
import { RunningRequests } from './running-requests.ts'
import { Uploads } from './uploads.ts'

/** What a gateway is doing, over all its requests and options. */
export class ServiceLoad {
  readonly running: RunningRequests
  readonly uploads = new Uploads()
  /** Running requests whose body is being received. */
  receiving = 0

  constructor(clock: Clock) {
    this.running = new RunningRequests(clock)
  }

  /** How many requests are being answered beside the one that asks. */
  get inFlight(): number {
    return this.running.size - 1 - this.receiving
  }
}
