import { queryOptions } from '@tanstack/react-query'
import { type Api, api, body, queryKeys } from '@/api'
import { schemasQuery } from '@/api/queries'
import { type Json, at, fromPlain, isList, parse, toPlain, write } from '@/lib/lossless'

export interface LintFinding {
  rule: string
  severity: 'error' | 'warning' | 'info'
  pointer: string
  path: string
  message: string
  provider?: string
}

/** A keyword that a provider does not enforce during generation. */
export interface Loss {
  pointer: string
  keyword: string
  enforced_by: 'validator' | 'prompt'
  detail?: string
}

export interface Lowering {
  profile: string
  refusal: string | null
  losses: Loss[]
  /** The schema that is sent to the provider, with the original digits of numbers. */
  sent: Json | null
}

export interface SchemaReport {
  valid: boolean
  problems: Api.Problem[]
  lint: LintFinding[]
  lowering: Lowering[]
}

/** The server's report on a schema: validity, lint findings, and which keywords each provider enforces. */
export const schemaReportQuery = (schema: Json) => {
  const text = write(schema)
  return queryOptions({
    queryKey: queryKeys.schemas.check(text),
    queryFn: async (): Promise<SchemaReport> => {
      const answer = await body(
        api.POST('/schemas/validate', {
          body: { schema: {} },
          bodySerializer: () => `{"schema":${text}}`,
          parseAs: 'text',
        }),
      )
      return readReport(parse(answer))
    },
    staleTime: Infinity,
    gcTime: 60_000,
  })
}

function readReport(answer: Json): SchemaReport {
  const plain = toPlain(answer) as Api.ValidateSchemaAnswer
  const lowering = at(answer, 'lowering')
  return {
    valid: plain.valid,
    problems: plain.problems,
    lint: plain.lint as unknown as LintFinding[],
    lowering: (plain.lowering ?? []).map((report, index) => ({
      profile: report.profile,
      refusal: report.refusal ?? null,
      losses: report.losses as unknown as Loss[],
      sent: isList(lowering) ? (at(lowering, String(index), 'schema') ?? null) : null,
    })),
  }
}

/** Infers a schema that matches all examples. */
export async function inferSchema(examples: readonly Json[], closed: boolean): Promise<Json> {
  const text = write(fromPlain({ closed }))
  const answer = await body(
    api.POST('/schemas/infer', {
      body: { examples: [] },
      bodySerializer: () => `${text.slice(0, -1)},"examples":${write(examples)}}`,
      parseAs: 'text',
    }),
  )
  return at(parse(answer), 'schema') ?? true
}

/** The registered schemas, for a select control. */
export const registeredQuery = () => ({
  ...schemasQuery(),
  select: (schemas: Api.SchemaView[]) => schemas.map(({ name, description }) => ({ name, description })),
})
