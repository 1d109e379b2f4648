import type { Hook } from '@sluice/core'

/** The hooks of the gateway, or a function that returns them where they can change. */
export type ConsoleHooks = readonly Hook[] | (() => readonly Hook[])
