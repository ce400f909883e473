-- Lists find executions by the name of the skill that they run; see store/execution_list.go.
CREATE INDEX executions_skill ON executions (substr(skill, 1, instr(skill, '@') - 1), id) WHERE skill <> '';
