import type { ListenError } from '@sluice/node'
import { CommandFault } from '../command.ts'

/** A service that cannot have its address. */
export class ListenFault extends CommandFault {
  /** Whether another program has the port. */
  readonly portInUse: boolean

  constructor({ reason, code }: ListenError) {
    super(`${reason[0]!.toUpperCase()}${reason.slice(1)}`)
    this.portInUse = code === 'EADDRINUSE'
  }
}
