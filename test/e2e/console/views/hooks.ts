import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const hooksTests: ViewTests = site => {
  it('are listed in their order, with what they apply to and what their failure does', async () => {
    const page = await site().open({ width: 1440 })
    await goTo(page, 'Routes')
    const rows = page.getByRole('region', { name: 'Hooks' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    const cells = (row: number) => rows.nth(row).locator('th, td').allTextContents()
    expect(await cells(0)).toEqual(['1 hide-tickets', 'Requests', 'All requests', 'Request fails', '1.00 s'])
    expect(await cells(1)).toEqual([
      '2 confidential',
      'Requests',
      'Models demo, small-*; operations generate; some principals',
      'Continues without it',
      '250 ms',
    ])
  })

  it('say in a request what each did and how long it took, live and in the log', async () => {
    const { ask, flushLog, url } = site().service
    const changed = (await ask('demo', { content: 'About TICKET-12' })).headers.get('x-request-id')!
    const refused = (await ask('demo', { content: 'Project Falcon' })).headers.get('x-request-id')!
    await flushLog()
    const page = await site().open()
    const hooks = page.locator('.hooks li')
    for (const view of ['requests', 'log']) {
      await page.goto(`${url}/console/#/${view}/${changed}`)
      await page.locator('[data-hook=hide-tickets]').getByText('Made changes').waitFor()
      expect(await hooks.locator('.name').allTextContents()).toEqual(['hide-tickets', 'confidential'])
      expect(await hooks.locator('.number').allTextContents()).toEqual([
        expect.stringMatching(/^[\d.]+ ms$/),
        expect.stringMatching(/^[\d.]+ ms$/),
      ])
      await page.goto(`${url}/console/#/${view}/${refused}`)
      await page.locator('[data-hook=confidential]').getByText('Refused').waitFor()
      await page.locator('[data-hook=hide-tickets]').getByText('No change').waitFor()
    }
  })
}
