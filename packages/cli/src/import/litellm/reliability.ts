import type { Config } from '../../config/config.ts'
import type { ImportNode, ImportReader } from '../import-reader.ts'
import type { Settings } from './settings.ts'

type Reliability = Pick<Config, 'timeouts' | 'maxAttempts' | 'retry' | 'breaker'>

/** Imports timeouts, retries and cooldowns. `maxTargets` is how many targets a request may try. */
export function reliabilityOf(settings: Settings, maxTargets: number, reader: ImportReader): Reliability {
  return {
    ...timeoutsOf(settings, reader),
    ...attemptsOf(settings, maxTargets, reader),
    ...breakerOf(settings, reader),
  }
}

const defaultTotalMs = 600_000

function timeoutsOf(settings: Settings, reader: ImportReader): Pick<Config, 'timeouts'> {
  const general = settings.at('request_timeout')
  const own = settings.at('timeout')
  const seconds = positive(own) ?? positive(general)
  if (own.isThere) general.reportUnsupported('timeout takes precedence.', 'Nothing: LiteLLM does the same.')
  if (seconds === undefined) return {}
  const ms = Math.round(seconds * 1000)
  reader.note(
    'timeout applies to each call here (timeouts.firstByteMs, responseMs, idleMs); timeouts.totalMs limits the request over all attempts.',
  )
  const total = ms > defaultTotalMs ? { totalMs: ms } : {}
  return { timeouts: { firstByteMs: ms, responseMs: ms, idleMs: ms, ...total } }
}

function attemptsOf(
  settings: Settings,
  targets: number,
  reader: ImportReader,
): Pick<Config, 'maxAttempts' | 'retry'> {
  const retries = settings.at('num_retries').count(0)
  const usual = 3
  if (retries === undefined) return targets > usual ? { maxAttempts: targets } : {}
  reader.note(
    'maxAttempts counts the calls of a request over all its targets; num_retries counts per model. Every target is tried once before any is retried.',
  )
  return { maxAttempts: retries + targets, ...(retries === 0 ? { retry: false as const } : {}) }
}

function breakerOf(settings: Settings, reader: ImportReader): Pick<Config, 'breaker'> {
  const isOff = settings.at('disable_cooldowns').flag()
  const [fails, seconds] = [settings.at('allowed_fails'), settings.at('cooldown_time')]
  if (isOff === true) {
    for (const part of [fails, seconds])
      part.reportUnsupported('Cooldowns are off.', 'Nothing: LiteLLM does the same.')
    return { breaker: false }
  }
  const failures = fails.count(0)
  const openMs = positive(seconds)
  if (failures === undefined && openMs === undefined) return {}
  reader.note(
    'The circuit breaker of a target opens after allowed_fails + 1 consecutive failures, or when half of its calls fail; LiteLLM counts failures per minute. Each further time it stays open twice as long, up to breaker.maxOpenMs.',
  )
  const ms = openMs === undefined ? undefined : Math.round(openMs * 1000)
  return {
    breaker: {
      ...(failures === undefined ? {} : { failures: failures + 1 }),
      ...(ms === undefined ? {} : { openMs: ms, ...(ms > 300_000 ? { maxOpenMs: ms } : {}) }),
    },
  }
}

/** Seconds above 0 that a timer can take. */
function positive(part: ImportNode): number | undefined {
  const { numeric: seconds = 0 } = part
  return seconds > 0 && seconds <= 2_147_483 ? part.number() : undefined
}
