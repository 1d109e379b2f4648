import type { ManagedGateway } from '@sluice/core'

/** What the console asks of a gateway. */
export type ConsoleGateway = Pick<ManagedGateway, 'matches' | 'models' | 'ready' | 'targets'>
