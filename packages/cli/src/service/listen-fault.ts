import type { ListenError } from '@sluice/node'
import { CommandFault } from '../command.ts'
import type { PortInUse } from './next-free-port.ts'

/** A service that cannot have its address. */
export class ListenFault extends CommandFault {
  /** The address, where another program has its port; `undefined` where something else is wrong with it. */
  readonly portInUse: PortInUse | undefined

  constructor({ reason, code, host, port }: ListenError) {
    super(`${reason[0]!.toUpperCase()}${reason.slice(1)}`)
    this.portInUse = code === 'EADDRINUSE' ? { host, port } : undefined
  }
}
