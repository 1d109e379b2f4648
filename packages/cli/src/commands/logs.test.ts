import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRequestLog } from '@sluice/log'
import { openSqlite } from '@sluice/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { ended } from '../../../log/src/fake-end-event.ts'
import { CommandError } from '../command.ts'
import { fakeCommandContext } from '../fake-command-context.ts'
import { main } from '../main.ts'
import { logsQuery } from './logs.ts'

const now = Date.UTC(2026, 10, 21, 12)

describe('logsQuery', () => {
  it('reads options', () => {
    const values = {
      from: '24h',
      key: 'ann',
      tag: ['team=a=b', 'x='],
      status: '429',
      text: 'x',
      'client-id': 'c',
    }
    expect(logsQuery(values, ['req_1'], now)).toEqual({
      from: now - 86_400_000,
      where: {
        id: 'req_1',
        key: 'ann',
        tags: { team: 'a=b', x: '' },
        status: 429,
        errorText: 'x',
        clientRequestId: 'c',
      },
    })
    expect(logsQuery({ status: '5xx', limit: '3' }, [], now)).toEqual({ where: { status: '5xx' }, limit: 3 })
  })

  it.each([
    [{ tag: ['team'] }, []],
    [{ tag: ['team=a', 'team=b'] }, []],
    [{ from: '1h', to: '2h' }, []],
    [{}, ['req_1', 'req_2']],
  ])('rejects %j %j', (values, positionals) => {
    expect(() => logsQuery(values, positionals, now)).toThrow(CommandError)
  })
})

describe('sluice logs', () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-logs-'))
    const database = await openSqlite({ url: `file:${join(folder, 'own.db')}` })
    const log = createRequestLog({ repository: database.requestLog })
    for (const user of ['u1', '\u001b[31m=1+2', 'u3'])
      log.observe(ended({ requestId: `req_${user.at(-1)}`, user }))
    log.observe(ended({ outcome: 'refused', status: 429, principal: { id: 'bob' } }))
    await log.close()
    await database.close()
    return () => rmSync(folder, { recursive: true })
  })

  const run = async (...argv: string[]) => {
    const { context, printed, logged } = fakeCommandContext({ cwd: folder })
    const code = await main(['logs', '--database', 'file:./own.db', ...argv], context)
    return { code, printed: printed(), logged: logged() }
  }

  it('prints a table, newest first, and says that there are more', async () => {
    const all = await run()
    expect(all.code).toBe(0)
    expect(all.printed.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^time \(UTC\) +status +model/),
      expect.stringMatching(/^2026-11-21 12:00:\d\d +429 +big +acme +bob /),
    ])
    expect((await run('--limit', '1')).logged).toContain('There are more.')
    expect((await run('--key', 'nobody')).printed).toBe('No requests match.\n')
  })

  it('prints one request, and says where there is none', async () => {
    const one = await run('req_1')
    expect(one.printed).toMatch(/^user +u1$/m)
    expect(one.printed).toMatch(/^attempt +acme\/big-1 \(first\) at 2 ms for 210 ms$/m)
    expect(await run('req_none')).toMatchObject({
      code: 1,
      logged: expect.stringContaining('no request req_none'),
    })
  })

  it('prints JSON, CSV and JSON lines that control no terminal', async () => {
    const json = await run('--json')
    expect(JSON.parse(json.printed)).toHaveLength(4)
    const csv = await run('--csv', '--status', '2xx')
    expect(csv.printed.trimEnd().split(/\r?\n/)).toHaveLength(4)
    expect(csv.printed).toContain(`, [31m=1+2,`)
    const lines = await run('--jsonl')
    expect(
      lines.printed
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as unknown),
    ).toHaveLength(4)
    for (const { printed } of [json, csv, lines, await run()]) expect(printed).not.toContain('\u001b')
  })

  it.each([
    [['--text', 'x'], 'needs from'],
    [['--limit', '501'], 'limit is 501'],
    [['--status', '600'], 'where.status'],
    [['--json', '--csv'], 'exclude each other'],
    [['--csv', '--outcome', 'lost'], 'where.outcome'],
  ])('rejects %j', async (argv, message) => {
    const { code, printed, logged } = await run(...argv)
    expect([code, printed]).toEqual([2, ''])
    expect(logged).toContain(message)
  })

  it('deletes the rows of a key with its records', async () => {
    const { context, logged } = fakeCommandContext({ cwd: folder })
    const argv = ['keys', 'delete', 'ann', '--records', '--database', 'file:./own.db']
    expect(await main(argv, context)).toBe(0)
    expect(logged()).toContain('Deleted 0 records and 3 logged requests of ann')
    expect(JSON.parse((await run('--json')).printed)).toMatchObject([{ principal: 'bob' }])
  })
})
