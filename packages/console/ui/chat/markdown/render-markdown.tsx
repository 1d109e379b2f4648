import { lexer, type Token, type Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { scrollable } from '../../parts/scrollable.ts'
import { CodeBlock } from './code-block.tsx'
import { decodeEntities } from './decode-entities.ts'
import { safeUrl } from './safe-url.ts'

/** A longer text is shown as it is. */
const maxLength = 200_000

/** Deeper quotes and lists are shown as they are. */
const maxDepth = 20

/** Takes the parser quadratic time, or more stack than there is; no text has it. */
const isHostile = /([^\w\s])\1{999}|(?:> ?){200}|(?:[-+*] ){200}/

/**
 * Returns markdown as elements of this page. It is made of elements and texts, never of HTML: what a model writes as HTML is
 * shown as text, links are absolute ones to web pages, and an image is a link to it, which loads nothing by itself.
 */
export function renderMarkdown(text: string): ComponentChildren {
  if (text.length > maxLength || isHostile.test(text)) return <Plain text={text} />
  try {
    return blocks(lexer(text), 0)
  } catch {
    // The parser's stack has an end.
    return <Plain text={text} />
  }
}

function Plain({ text }: { text: string }) {
  return <p class="plain">{text}</p>
}

function blocks(tokens: readonly Token[], depth: number): ComponentChildren {
  return tokens.map((token, at) => block(token as Tokens.Generic, at, depth))
}

function block(token: Tokens.Generic, key: number, depth: number): ComponentChildren {
  if (depth > maxDepth) return <Plain key={key} text={token.raw} />
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      // The page's own headings end with the third level.
      const Level = token.depth <= 1 ? 'h3' : token.depth === 2 ? 'h4' : token.depth === 3 ? 'h5' : 'h6'
      return <Level key={key}>{inlines(token.tokens, depth)}</Level>
    }
    case 'paragraph':
      return <p key={key}>{inlines(token.tokens, depth)}</p>
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : inlines(token.tokens, depth)
    case 'code':
      return <CodeBlock key={key} text={token.text} language={token.lang} />
    case 'blockquote':
      return <blockquote key={key}>{blocks(token.tokens ?? [], depth + 1)}</blockquote>
    case 'list':
      return <List key={key} list={token as Tokens.List} depth={depth + 1} />
    case 'table':
      return <Table key={key} table={token as Tokens.Table} depth={depth + 1} />
    case 'hr':
      return <hr key={key} />
    default:
      return <Plain key={key} text={token.raw} />
  }
}

function List({ list: { ordered, start, items }, depth }: { list: Tokens.List; depth: number }) {
  const lines = items.map(({ task, checked, tokens }, at) => (
    <li key={at}>
      {task && (
        <span role="img" aria-label={checked ? 'Done' : 'Open'}>
          {checked ? '☑ ' : '☐ '}
        </span>
      )}
      {blocks(
        tokens.filter(({ type }) => type !== 'checkbox'),
        depth,
      )}
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{lines}</ol> : <ul>{lines}</ul>
}

function Table({ table: { header, rows, align }, depth }: { table: Tokens.Table; depth: number }) {
  const side = (at: number) => (align[at] === 'right' ? 'number' : undefined)
  return (
    <div class="table-box" {...scrollable}>
      <table class="table">
        <thead>
          <tr>
            {header.map(({ tokens }, at) => (
              <th key={at} scope="col" class={side(at)}>
                {inlines(tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map(({ tokens }, at) => (
                <td key={at} class={side(at)}>
                  {inlines(tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inlines(tokens: readonly Token[] = [], depth: number): ComponentChildren {
  return tokens.map((token, at) => inline(token as Tokens.Generic, at, depth + 1))
}

function inline(token: Tokens.Generic, key: number, depth: number): ComponentChildren {
  if (depth > 2 * maxDepth) return token.raw
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inlines(token.tokens, depth)}</strong>
    case 'em':
      return <em key={key}>{inlines(token.tokens, depth)}</em>
    case 'del':
      return <del key={key}>{inlines(token.tokens, depth)}</del>
    case 'codespan':
      return <code key={key}>{token.text}</code>
    case 'br':
      return <br key={key} />
    case 'link': {
      const url = safeUrl(token.href)
      if (url === undefined) return <span key={key}>{inlines(token.tokens, depth)}</span>
      return (
        <a key={key} href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
          {inlines(token.tokens, depth)}
        </a>
      )
    }
    case 'image': {
      const url = safeUrl(token.href)
      if (url === undefined) return <span key={key}>{token.raw}</span>
      return (
        <a key={key} class="image-link" href={url} target="_blank" rel="noopener noreferrer nofollow">
          Image: {token.text === '' ? new URL(url).hostname : `${token.text} (${new URL(url).hostname})`}
        </a>
      )
    }
    case 'escape':
      return token.text
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : inlines(token.tokens, depth)
    default:
      return token.raw
  }
}
