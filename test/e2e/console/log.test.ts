import { createRequestLog } from '@sluice/log'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inMemoryRequestLog } from '../../../packages/log/src/in-memory-request-log.ts'
import { callerKey, consoleService } from './console-service.ts'

async function setUp(requests = 3) {
  const repository = inMemoryRequestLog()
  const log = createRequestLog({ repository })
  onTestFinished(() => log.close())
  const service = consoleService({ console: { log }, gateway: { observe: log.observe } })
  for (let index = 0; index < requests; index++) await (await service.chat()).text()
  await log.flush()
  return { ...service, repository, log }
}

describe('the request log in the console', () => {
  it('is searched page by page', async () => {
    const { api } = await setUp()
    expect(await (await api('/about')).json()).toMatchObject({ log: true })
    const seen: string[] = []
    let after: string | undefined = ''
    while (after !== undefined) {
      const answer = await api(
        `/log?model=small&tag=team%3Asearch&status=2xx&limit=2&after=${encodeURIComponent(after)}`,
      )
      expect(answer.status).toBe(200)
      const page = (await answer.json()) as { rows: { id: string }[]; next?: string }
      seen.push(...page.rows.map(({ id }) => id))
      after = page.next
    }
    expect(new Set(seen).size).toBe(3)
    expect(await (await api(`/log/${seen[1]}`)).json()).toMatchObject({
      id: seen[1],
      principal: 'ann',
      status: 200,
    })
    expect((await api('/log/req_none')).status).toBe(404)
    expect(await (await api('/log?key=bob')).json()).toEqual({ rows: [] })
  })

  it('is exported, and has no prompt', async () => {
    const { api } = await setUp()
    const csv = await api('/log.csv?key=ann')
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="requests.csv"')
    const lines = await (await api('/log.jsonl')).text()
    expect((await csv.text()).trimEnd().split('\r\n')).toHaveLength(4)
    expect(lines.trimEnd().split('\n')).toHaveLength(3)
    expect(lines).not.toContain('secret prompt')
  })

  it.each(['/log', '/log/req_1', '/log.csv', '/log.jsonl'])('is for the admin key only: %s', async path => {
    const { fetch } = await setUp(1)
    const asCaller = { headers: { authorization: `Bearer ${callerKey}` } }
    expect((await fetch(`/console/api${path}`)).status).toBe(401)
    expect((await fetch(`/console/api${path}`, asCaller)).status).toBe(401)
  })

  it.each([
    'status=600',
    'tag=team',
    'from=-1',
    'after=x',
    'limit=501',
    'errorText=x',
    'outcome=lost',
    'where=a',
    'key=a&key=b',
  ])('rejects %s', async query => {
    const { api } = await setUp(0)
    expect((await api(`/log?${query}`)).status).toBe(400)
    expect((await api(`/log.csv?${query}`)).status).toBe(400)
  })

  it('is 404 without a log, and 503 while the database fails', async () => {
    const { api: without } = consoleService()
    expect((await without('/log')).status).toBe(404)
    const { api, repository, failures } = await setUp(0)
    const failure = new TypeError('fetch failed: db.internal')
    repository.search = () => Promise.reject(failure)
    const answer = await api('/log')
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toContain('db.internal')
    expect(failures).toEqual([failure])
    expect((await api('/log/req_1')).status).toBe(503)
  })
})
