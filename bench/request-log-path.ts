import { apiKeys, createGateway, models, type Observer } from '@sluice/core'
import { createRequestLog } from '@sluice/log'
import { local } from '@sluice/providers'
import { openSqlite } from '@sluice/sqlite'
import { quantile } from './figures.ts'
import { asAnn, path, small } from './questions.ts'

/** What the log may take on the path of a request. */
export const goalMicros = 10

const warmUp = 20_000
const measured = 50_000
const atOnce = 32

/**
 * Measures how long the request log takes in the `end` event of a request, in microseconds: in a gateway that serves requests, with a
 * writer to SQLite in memory beside them. What the writer takes is not part of it.
 */
export async function measureLogPath(): Promise<{ readonly median: number; readonly p99: number }> {
  const database = await openSqlite({ url: ':memory:' })
  const log = createRequestLog({ repository: database.requestLog, maxPending: 1_000_000 })
  const micros: number[] = []
  const observe: Observer = event => {
    if (event.type !== 'end') return log.observe(event)
    const begun = performance.now()
    log.observe(event)
    micros.push((performance.now() - begun) * 1_000)
  }
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann', tags: { team: 'search' } }]),
    route: models({ 'gpt-4o': local()('gpt-4o') }),
    observe,
  })
  const request = () =>
    new Request(`http://sluice.test${path}`, {
      method: 'POST',
      headers: { ...asAnn, 'content-type': 'application/json' },
      body: small,
    })
  const send = async () => {
    const response = await gateway.fetch(request())
    await response.text()
    if (response.status !== 200) throw new Error(`The gateway answered with ${response.status}.`)
  }
  for (let sent = 0; sent < warmUp + measured; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, send))
  }
  await gateway.close()
  await log.close()
  const { written } = log.stats()
  await database.close()
  if (written !== micros.length) throw new Error(`The log has written ${written} of ${micros.length} rows.`)
  const seen = micros.slice(warmUp)
  return { median: quantile(seen, 0.5), p99: quantile(seen, 0.99) }
}
