// How statements run, and what a call of a script's function does.

#include "ast.h"

namespace sprig {

Flow Evaluate::run(Frame& frame) const {
  expression->evaluate(frame);
  return Flow::next;
}

Flow Assign::run(Frame& frame) const {
  target->assign(frame, value->evaluate(frame));
  return Flow::next;
}

Flow Block::run(Frame& frame) const {
  for (const auto& statement : statements)
    if (Flow flow = statement->run(frame); flow != Flow::next) return flow;
  return Flow::next;
}

Flow If::run(Frame& frame) const {
  if (condition->evaluate(frame).truthy()) return then->run(frame);
  return otherwise ? otherwise->run(frame) : Flow::next;
}

Flow While::run(Frame& frame) const {
  while (condition->evaluate(frame).truthy()) {
    Flow flow = body->run(frame);
    if (flow == Flow::returned) return flow;
    if (flow == Flow::broke) break;
  }
  return Flow::next;
}

Flow ForEach::run(Frame& frame) const {
  Value all = list->evaluate(frame);
  if (!all.is(Kind::list)) fail(list->line, "only a list can be walked through");
  auto& items = all.as<List>().items;
  for (std::size_t i = 0; i < items.size(); ++i) {  // the body may add to the list
    frame.locals[variable] = items[i];
    Flow flow = body->run(frame);
    if (flow == Flow::returned) return flow;
    if (flow == Flow::broke) break;
  }
  return Flow::next;
}

Flow Return::run(Frame& frame) const {
  if (value) frame.result = value->evaluate(frame);
  return Flow::returned;
}

Flow Break::run(Frame&) const { return Flow::broke; }

Value ScriptFunction::call(Frame& caller, const Value* arguments, std::size_t count, int line) {
  if (count != parameters)
    fail(line, std::to_string(count) + " arguments for " + std::to_string(parameters));
  if (caller.depth >= deepest_call) fail(line, "calls are nested too deep");
  Value* base = caller.end;  // nil from here on: every call leaves it so
  Frame frame{base, base + locals, caller.globals, caller.depth + 1};
  for (std::size_t i = 0; i < count; ++i) base[i] = arguments[i];
  body->run(frame);
  for (std::size_t i = 0; i < locals; ++i) base[i] = Value();
  return std::move(frame.result);
}

}  // namespace sprig
