import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

/** Features do not import each other: what two of them need moves to components, lib or api. */
const oneFeature = {
  patterns: [
    {
      regex: '^@/features/',
      message: 'features do not import each other: move what both need to components, lib or api',
    },
    { regex: '^(\\.\\./){2,}', message: "use '@/…' for what is not beside this file" },
  ],
}

export default tseslint.config(
  { ignores: ['dist', 'src/api/schema.ts', 'screenshots', 'node_modules'] },
  ...tseslint.configs.strict,
  {
    files: ['src/**/*.{ts,tsx}', 'e2e/**/*.ts'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      'max-lines': ['error', { max: 250 }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: 'what models write is never rendered as HTML',
        },
        {
          selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]",
          message: 'what models write is never rendered as HTML',
        },
      ],
    },
  },
  { files: ['src/features/**/*.{ts,tsx}'], rules: { 'no-restricted-imports': ['error', oneFeature] } },
)
