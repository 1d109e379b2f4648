import { expect, it } from 'vitest'
import { span } from '../../../../packages/console/ui/format/span.ts'
import { goTo } from '../site/go-to.ts'
import { adminKey } from '../site/service.ts'
import type { ViewTests } from '../site/views.ts'

export const usageTests: ViewTests = site => {
  it('counts what was sent: in sums, in charts and their tables, and in the ledger', async () => {
    const { ask, keys } = site().service
    const issued = await keys.issue({ name: 'counted', tags: { team: 'counters' } })
    for (let left = 4; left > 0; left--) await ask('counted', { key: issued.key })
    await ask('broken', { key: issued.key })
    const page = await site().open()
    await goTo(page, 'Usage')
    await page.getByLabel('Group by').selectOption('Team')
    // 9 tokens in and 12 out at 1,000 and 2,000 dollars a million: 4 * 0.033.
    const sums = page.getByRole('row', { name: /^counters/ }).first()
    await sums.waitFor()
    expect(await sums.getByRole('cell').allTextContents()).toEqual([
      '5',
      '1',
      '36',
      '48',
      '$0.13',
      expect.any(String),
    ])

    const sent: Readonly<Record<string, readonly [number, RegExp]>> = {
      Tokens: [84, /^\d+$/],
      Cost: [0.13, /^\$0\.\d+$/],
      Errors: [1, /^\d+$/],
    }
    for (const [name, [expected, form]] of Object.entries(sent)) {
      const chart = page.locator('.chart', { has: page.getByText(name, { exact: true }) })
      await chart.getByText('As a table').click()
      await chart.getByRole('columnheader', { name: 'counters' }).waitFor()
      const heads = await chart.getByRole('columnheader').allTextContents()
      const at = heads.indexOf('counters')
      const cells = await chart
        .locator('tbody tr')
        .evaluateAll((rows, column) => rows.map(row => row.children[column]!.textContent ?? ''), at)
      const values = cells.filter(text => form.test(text)).map(text => Number(text.replace('$', '')))
      expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(expected, 1)
      expect(await chart.locator(`svg rect`).count()).toBeGreaterThan(0)
    }
    const chart = page.locator('.chart').first()
    await chart.getByRole('slider').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    expect(await chart.locator('.readout time').count()).toBe(1)

    const latency = page.locator('.chart', { has: page.getByLabel('Percentile') })
    const counted = async () => {
      const at = (await latency.getByRole('columnheader').allTextContents()).indexOf('counters')
      return latency
        .locator('tbody tr')
        .last()
        .locator(`:nth-child(${at + 1})`)
        .textContent()
    }
    await latency.getByText('As a table').click()
    await latency.getByRole('columnheader', { name: 'counters' }).waitFor()
    const series = await (
      await fetch(`${site().service.url}/console/api/series?by=team`, {
        headers: { authorization: `Bearer ${adminKey}` },
      })
    ).json()
    const line = series.lines.find(({ name }: { name: string }) => name === 'counters')
    for (const [choice, title, values] of [
      ['First byte', 'Time to first byte, p50', line.firstByteP50Ms],
      ['p50', 'Latency, p50', line.p50Ms],
      ['p95', 'Latency, p95', line.p95Ms],
    ] as const) {
      await latency.getByLabel('Percentile').selectOption(choice)
      await latency.getByText(title, { exact: true }).waitFor()
      const last = values.findLast((value: number | null) => value !== null)
      expect([choice, await counted()]).toEqual([choice, span(last)])
    }

    const ledger = page.getByRole('region', { name: 'By day, from the ledger' })
    const row = ledger.getByRole('row', { name: /counted/ })
    await row.waitFor()
    const cells = await row.getByRole('cell').allTextContents()
    expect(Number(cells[2])).toBeGreaterThanOrEqual(4)
    await ledger.getByLabel('Group days by').selectOption('Team')
    const team = ledger.getByRole('row', { name: /counters/ })
    await team.waitFor()
    expect((await team.getByRole('cell').allTextContents()).slice(1, 6)).toEqual([
      'counters',
      '5',
      '36',
      '48',
      '$0.13',
    ])
    await ledger.getByLabel('Days', { exact: true }).selectOption('90 days')
    await ledger.getByLabel('Group days by').selectOption('Model')
    const all = ledger.getByRole('row', { name: /^All days/ })
    await all.waitFor()
    expect(Number((await all.getByRole('cell').allTextContents())[0])).toBeGreaterThanOrEqual(5)
    for (const [dimension, value] of [
      ['Operation', 'generate'],
      ['Dialect', 'chat'],
      ['User', 'none'],
    ] as const) {
      await ledger.getByLabel('Group days by').selectOption(dimension)
      await ledger.getByRole('cell', { name: value, exact: true }).first().waitFor()
    }
  })

  it('shows a caller what it used itself, and nothing else', async () => {
    const { ask, keys, url } = site().service
    const mine = await keys.issue({ name: 'mine' })
    const other = await keys.issue({ name: 'of another' })
    for (let left = 3; left > 0; left--) await ask('counted', { key: mine.key })
    await ask('unpriced', { key: other.key })
    const page = await site().open({ address: `${url}/console/` })
    await page.getByLabel('API key').fill(mine.key)
    await page.getByRole('button', { name: 'Show usage' }).click()
    await page.getByRole('heading', { name: 'Your usage' }).waitFor()
    const row = page.getByRole('row', { name: /counted/ })
    await row.waitFor()
    expect((await row.getByRole('cell').allTextContents()).slice(1, 6)).toEqual([
      'counted',
      '3',
      '27',
      '36',
      '$0.099',
    ])
    expect(await page.getByRole('row').count()).toBe(2)
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.locator('.ledger-totals strong').allTextContents()).toEqual(['$0.099', '3', '63'])
    await page.getByLabel('Group by').selectOption('User')
    await page.getByLabel('Days').selectOption('30')
    expect(new URL(page.url()).hash).toBe('#/overview?by=user&days=30')
    await page.getByRole('cell', { name: 'none', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').fill('sk-nobody')
    await page.getByRole('button', { name: 'Show usage' }).click()
    await page
      .getByRole('alert')
      .getByText(/Cannot load your usage/)
      .waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })
}
