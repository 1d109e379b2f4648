import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { adminKey, callerKey } from '../site/service.ts'
import { stuckRequest } from '../site/stuck-request.ts'
import type { ViewTests } from '../site/views.ts'

const run = promisify(execFile)

export const bodiesTests: ViewTests = site => {
  const openLogged = async (
    content: string,
    more: { readonly stream?: boolean; readonly model?: string } = {},
  ) => {
    const { ask, flushLog, url } = site().service
    const { model = 'demo', ...options } = more
    const id = (await ask(model, { content, ...options })).headers.get('x-request-id')!
    await flushLog()
    const page = await site().open()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(`${url}/console/#/log/${id}`)
    return { page, id }
  }

  it('are indented, as hooks have left them, and written as text', async () => {
    const { page } = await openLogged('TICKET-77 <img src=x onerror=alert(1)>', { stream: true })
    const request = page.getByRole('region', { name: 'Request body' })
    await request.getByText('"content": "a ticket <img src=x onerror=alert(1)>"').waitFor()
    expect(await request.textContent()).toContain('\n  "model": "demo",\n')
    await page.getByText('Changed by the hook hide-tickets').waitFor()
    const response = page.getByRole('region', { name: 'Response body' })
    expect(await response.textContent()).toContain('You said: "a ticket <img')
    expect(await response.textContent()).not.toContain('data:')
    await page.getByRole('tab', { name: 'Body' }).click()
    expect(await response.textContent()).toContain('data: [DONE]')
  })

  it('scroll where they are long, and are cut where they are very long', async () => {
    const { page } = await openLogged('long '.repeat(30_000))
    const request = page.getByRole('region', { name: 'Request body' })
    await request.waitFor()
    const [height, all] = await request.evaluate(element => [element.clientHeight, element.scrollHeight])
    expect(height).toBeLessThanOrEqual(340)
    expect(all).toBeGreaterThan(1_000)
    await page.getByText('Only the first 100,000 characters are shown.').first().waitFor()
    expect((await request.textContent())!.length).toBe(100_000)
  })

  it('are copied as they are stored', async () => {
    const { page } = await openLogged('copy me')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy request' }).click()
    await page.getByText('Copied').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe('{"model":"demo","stream":false,"messages":[{"role":"user","content":"copy me"}]}')
  })

  it('are copied as a curl command that works, without a key', async () => {
    const { page, id } = await openLogged("it's $HOME")
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).not.toContain(callerKey)
    expect(command).not.toContain(adminKey)
    const env = { ...process.env, SLUICE_API_KEY: callerKey }
    const { stdout } = await run('bash', ['-c', command], { env })
    expect(JSON.parse(stdout).choices[0].message.content).toContain("it's $HOME")
    expect(JSON.parse(stdout).id).not.toBe(id)
  })

  it('are opened in the chat with images and tools, where nothing is sent yet', async () => {
    const { chat, flushLog, url } = site().service
    const data = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='
    const content = [
      { type: 'text', text: 'What is 3 + 4?' },
      { type: 'image_url', image_url: { url: data } },
    ]
    const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }]
    const sent = await fetch(chat, {
      method: 'POST',
      headers: { authorization: `Bearer ${callerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', tools, top_p: 0.5, messages: [{ role: 'user', content }] }),
    })
    await sent.text()
    const id = sent.headers.get('x-request-id')!
    await flushLog()
    const page = await site().open()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(`${url}/console/#/log/${id}`)
    await page.getByRole('link', { name: 'Open in Chat' }).click()
    expect(new URL(page.url()).hash).toBe(`#/chat?request=${id}`)
    const draft = page.getByLabel('Message', { exact: true })
    await expect.poll(() => draft.inputValue()).toBe('What is 3 + 4?')
    expect(await page.getByLabel('Model').inputValue()).toBe('demo')
    expect(await page.locator('.turn').count()).toBe(0)
    expect(await page.locator('.attachments img').getAttribute('src')).toBe(data)
    await page.getByRole('button', { name: 'Tools (1)' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await draft.press('Enter')
    await page.locator('.turn.assistant').waitFor()
    await page.getByRole('tab', { name: 'Request' }).click()
    const request = page.getByRole('region', { name: 'HTTP exchange' })
    await request.getByText('"top_p": 0.5').waitFor()
    await request.getByText('"name": "add"').waitFor()
    await page.goto(`${site().service.url}/console/#/chat?request=req_nobody`)
    await page
      .getByRole('alert')
      .getByText(/cannot be opened/)
      .waitFor()
  })

  it('are shown of a live request once it has ended', async () => {
    const { ask, url } = site().service
    const page = await site().open()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const id = (await ask('demo', { content: 'just now' })).headers.get('x-request-id')!
    await page.goto(`${url}/console/#/requests/${id}`)
    await page.getByRole('region', { name: 'Request body' }).getByText('just now').waitFor()
  })

  it('say of a running request that they are stored at its end, and of one without that there are none', async () => {
    const page = await site().open()
    const stuck = await stuckRequest(site().service)
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.locator('tbody tr', { hasText: 'Running' }).first().getByRole('link').press('Enter')
    await page.getByText('They are stored when the request has ended.').waitFor()
    await stuck.leave()
    await page.getByText('None was sent: the client disconnected before it.').waitFor()
    const { id } = await openLogged('Hello', { model: 'unpriced' })
    await page.getByText('None are stored.').waitFor()
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
    expect(new URL(page.url()).hash).toBe(`#/log/${id}`)
  })

  it('are loaded again after a failure', async () => {
    const { page } = await openLogged('once more')
    await page.getByRole('region', { name: 'Request body' }).waitFor()
    const body = JSON.stringify({
      error: { message: 'The log of bodies does not respond. Please try again.' },
    })
    await page.route('**/bodies', route => route.fulfill({ status: 503, body }))
    await page.reload()
    const alert = page.getByRole('alert')
    await alert.getByText('Cannot load the bodies: The log of bodies does not respond.').waitFor()
    await page.unroute('**/bodies')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'Request body' }).getByText('once more').waitFor()
  })

  it('are replayed once it is confirmed that it costs, and compared', async () => {
    const { north } = site().service
    north.respondWith(steps.answer({ text: 'The first answer.' }))
    const { page } = await openLogged('compare', { model: 'small-chat' })
    await page.getByRole('region', { name: 'Response body' }).getByText('The first answer.').waitFor()
    north.respondWith(steps.answer({ text: 'Another answer.' }))
    const before = north.requests.length
    const replay = page.getByRole('button', { name: 'Replay', exact: true })
    await replay.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/The provider charges for it as for any request: \$0\.\d+ the last time/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(north.requests.length).toBe(before)
    await replay.click()
    await dialog.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('region', { name: 'New response' }).getByText('Another answer.').waitFor()
    await page.getByRole('region', { name: 'Stored response' }).getByText('The first answer.').waitFor()
    expect(north.requests.length).toBe(before + 1)
    const rows = page.locator('.comparison tbody tr')
    const cells = (row: number) => rows.nth(row).locator('th, td').allTextContents()
    expect(await cells(0)).toEqual(['Status', '200', '200'])
    expect(await cells(1)).toEqual(['Provider', 'north', 'north'])
    expect(await cells(2)).toEqual(['Tokens', ...Array(2).fill(expect.stringMatching(/^\d+ in, \d+ out$/))])
    expect(await cells(3)).toEqual(['Cost', ...Array(2).fill(expect.stringMatching(/^\$0\.\d+$/))])
    expect(await cells(5)).toEqual(['Total', ...Array(2).fill(expect.stringMatching(/ m?s$/))])
    await page.getByRole('link', { name: 'Details of the new request' }).click()
    await page.locator('.request-panel').getByText('console', { exact: true }).first().waitFor()
    north.respondWith(steps.answer())
  })

  it('are replayed to a refusal, which is shown beside the stored response', async () => {
    const { north } = site().service
    const { page } = await openLogged('refuse me', { model: 'small-chat' })
    north.respondWith(steps.reply({ error: { message: 'bad request' } }, { status: 400 }))
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    const status = page.locator('.comparison tbody tr').first()
    await status.waitFor()
    expect(await status.locator('td').allTextContents()).toEqual(['200', '400'])
    north.respondWith(steps.answer())
  })

  it('can fail to be replayed, can be stopped, and can be tried again', async () => {
    const { north } = site().service
    const { page } = await openLogged('stop me', { model: 'small-chat' })
    const confirm = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    }
    const body = JSON.stringify({ error: { message: 'The log of bodies does not respond.' } })
    await page.route('**/replay', route => route.fulfill({ status: 503, body }))
    await confirm('Replay')
    await page
      .getByRole('alert')
      .getByText('The replay failed: The log of bodies does not respond.')
      .waitFor()
    await page.unroute('**/replay')
    north.respondWith(steps.hang())
    await confirm('Replay again')
    await page.getByText('Waiting for the new response …').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('It was stopped.').waitFor()
    north.respondWith(steps.answer({ text: 'At last.' }))
    await confirm('Replay again')
    await page.getByRole('region', { name: 'New response' }).getByText('At last.').waitFor()
    north.respondWith(steps.answer())
  })

  it('are not replayed beyond the budget of the console', async () => {
    const { north } = site().service
    const { page } = await openLogged('expensive', { model: 'counted' })
    const before = north.requests.length
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page
      .getByRole('alert')
      .getByText(/^The replay failed: .*budget/i)
      .waitFor()
    expect(north.requests.length).toBe(before)
  })

  it('are not there for a caller: its key shows its usage, and nothing else', async () => {
    const { page, id } = await openLogged('a secret of the first caller')
    const { keys, url } = site().service
    const { key } = await keys.issue({ name: 'Second tenant' })
    await page.getByRole('region', { name: 'Request body' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${url}/console/#/log/${id}`)
    await page.getByLabel('Admin key').fill(key)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Invalid admin key.').waitFor()
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Show usage' }).click()
    await page.getByRole('heading', { name: /usage/i }).first().waitFor()
    for (const name of ['Log', 'Alerts', 'Requests', 'Routes']) {
      expect([name, await page.getByRole('link', { name, exact: true }).count()]).toEqual([name, 0])
    }
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
    expect(await page.content()).not.toContain('a secret of')
  })
}
