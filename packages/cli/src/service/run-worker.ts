import { once } from 'node:events'
import type { StopRequest, WorkerMember } from '@sluice/node/adapter'
import { processTopics } from '@sluice/node/adapter'
import { type CommandContext, CommandError } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import type { Service, ServiceOptions } from './service.ts'
import { startService } from './start-service.ts'

/** What a worker reports of its service, for the lines that its primary prints. */
export type ServiceReport = Pick<Service, 'baseURL' | 'consoleURL' | 'responseStorage' | 'bodyStorage'> & {
  readonly models: number
}

/** Runs the service of a worker until its primary, a signal or a test ends it. */
export async function runWorker(
  member: WorkerMember,
  config: TypedConfig,
  context: CommandContext,
  options: ServiceOptions,
): Promise<void> {
  const service = await startService(config, context, { ...options, group: processTopics }).catch(
    (error: unknown) => {
      if (error instanceof CommandError) member.failed(error.message)
      throw error
    },
  )
  const { drainMs = 30_000, shutdownDelayMs = 0 } = config.server ?? {}
  const own: StopRequest = { drainMs, delayMs: shutdownDelayMs }
  let request: StopRequest = own
  const stopped = new Promise<void>(resolve => {
    member.primaryGone = { drainMs, delayMs: 0 }
    member.isListening = () => service.isListening
    member.onStop = given => {
      request = given
      resolve()
      void service.close(given).catch(() => {})
    }
    if (context.signal.aborted) resolve()
    else void once(context.signal, 'abort').then(() => resolve())
  })
  member.ready(reportOf(service))
  await stopped
  // A signal of its own, such as of a terminal, counts beside what the primary asks.
  if (context.signal.aborted) request = own
  else context.signal.addEventListener('abort', () => void service.close(own).catch(() => {}))
  try {
    await service.close(request)
  } finally {
    await member.leave()
  }
}

/** Returns what is printed of a service. */
export function reportOf(service: Service): ServiceReport {
  const { gateway, baseURL, consoleURL, responseStorage, bodyStorage } = service
  return { models: gateway.models.length, baseURL, consoleURL, responseStorage, bodyStorage }
}
