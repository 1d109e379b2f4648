import type { Figure } from '../../soak/figures.ts'
import type { Generation } from '../round.ts'
import type { ChaosLogs } from './chaos-logs.ts'

/** How the processes ended that were told to stop. */
export function processFigures({ plan, generations, clients }: ChaosLogs): Figure[] {
  const stopped = generations.filter(({ signal }) => signal === 'SIGTERM')
  const wrong = stopped.filter(({ exit }) => exit.code !== 0)
  const slowest = Math.max(...stopped.map(({ exit }) => exit.ms))
  const alarms = generations.flatMap(generation => generation.alarms)
  const cut = [...clients.values()].filter(
    ({ generation, end }) => end.how === 'cut' && generations[generation]?.signal === 'SIGTERM',
  )
  const killed = generations.filter(isKilled)
  return [
    figure('processes that were told to stop; that were killed', `${stopped.length}; ${killed.length}`, '-'),
    figure('exit codes of those that were told to stop, other than 0', `${wrong.length}`, '0'),
    {
      ...figure('the slowest of them, in ms', slowest.toFixed(0), `<= ${plan.drainMs + plan.stopMs}`),
      met: slowest <= plan.drainMs + plan.stopMs,
    },
    figure('answers that they cut without a word', `${cut.length}`, '0'),
    figure('uncaught exceptions, unhandled rejections, warnings', `${alarms.length}`, '0'),
  ]
}

function isKilled({ signal }: Generation): boolean {
  return signal === 'SIGKILL'
}

function figure(what: string, got: string, goal: string): Figure {
  return { promise: 'P6', what, got, goal, met: goal === '-' ? undefined : got === goal }
}
