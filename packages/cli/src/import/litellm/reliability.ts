import type { Config } from '../../config/config.ts'
import type { ImportNode, ImportReader } from '../import-reader.ts'
import type { Settings } from './settings.ts'

type Reliability = Pick<Config, 'timeouts' | 'maxAttempts' | 'retry' | 'breaker'>

/** Deadlines, repeats and rests. `mostPlaces` is how many places a request may go through. */
export function reliabilityOf(settings: Settings, mostPlaces: number, reading: ImportReader): Reliability {
  return {
    ...timeoutsOf(settings, reading),
    ...attemptsOf(settings, mostPlaces, reading),
    ...breakerOf(settings, reading),
  }
}

const defaultTotalMs = 600_000

function timeoutsOf(settings: Settings, reading: ImportReader): Pick<Config, 'timeouts'> {
  const general = settings.at('request_timeout')
  const own = settings.at('timeout')
  const seconds = positive(own) ?? positive(general)
  if (own.isThere) general.lose('timeout goes first.', 'Nothing: so it is with LiteLLM.')
  if (seconds === undefined) return {}
  const ms = Math.round(seconds * 1000)
  reading.note(
    'timeout bounds each wait for a vendor here (timeouts.firstByteMs, responseMs, idleMs); timeouts.totalMs bounds the request over all attempts.',
  )
  const total = ms > defaultTotalMs ? { totalMs: ms } : {}
  return { timeouts: { firstByteMs: ms, responseMs: ms, idleMs: ms, ...total } }
}

function attemptsOf(
  settings: Settings,
  places: number,
  reading: ImportReader,
): Pick<Config, 'maxAttempts' | 'retry'> {
  const retries = settings.at('num_retries').count(0)
  const usual = 3
  if (retries === undefined) return places > usual ? { maxAttempts: places } : {}
  reading.note(
    'maxAttempts counts the calls of a request over all its places; num_retries counts anew for each model. Every place has its turn before one is asked again.',
  )
  return { maxAttempts: retries + places, ...(retries === 0 ? { retry: false as const } : {}) }
}

function breakerOf(settings: Settings, reading: ImportReader): Pick<Config, 'breaker'> {
  const isOff = settings.at('disable_cooldowns').flag()
  const [fails, seconds] = [settings.at('allowed_fails'), settings.at('cooldown_time')]
  if (isOff === true) {
    for (const part of [fails, seconds]) part.lose('Cooldowns are off.', 'Nothing: so it is with LiteLLM.')
    return { breaker: false }
  }
  const failures = fails.count(0)
  const openMs = positive(seconds)
  if (failures === undefined && openMs === undefined) return {}
  reading.note(
    'A place is left alone after allowed_fails + 1 failures in a row, or when half of its calls fail; LiteLLM counts those of a minute. Each further time it is for twice as long, up to breaker.maxOpenMs.',
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
