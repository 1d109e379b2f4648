import { GatewayError } from '@sluice/core'

const patienceMs = 10_000

/** What does not answer, and the refusal that says so. */
const away = {
  keys: ['authentication_unavailable', 'What keeps the keys does not answer. Please try again.'],
  ledger: ['ledger_unavailable', 'The ledger does not answer. Please try again.'],
} as const

/** What a store answers. Whatever it fails with is a 503 that does not tell it, and so is no answer within 10 seconds. */
export async function askedStore<T>(store: keyof typeof away, ask: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${patienceMs} milliseconds.`)), patienceMs)
  })
  try {
    return await Promise.race([ask(), late])
  } catch (cause) {
    const [refusal, message] = away[store]
    throw new GatewayError(refusal, { message, cause })
  } finally {
    clearTimeout(timer)
  }
}
